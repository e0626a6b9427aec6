// swift-tools-version: 5.9

import PackageDescription

let package = Package(
    name: "LanternTokens",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "LanternTokens", targets: ["LanternTokens"])],
    targets: [.target(name: "LanternTokens", resources: [.process("Tokens.xcassets")])]
)
