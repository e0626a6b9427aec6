// What generated files use of AppKit. NSColor is NS_SWIFT_SENDABLE; the block of +colorWithName:dynamicProvider: is not.

@_exported import Foundation

open class NSAppearance: NSObject {
    public struct Name: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static let aqua = Name(rawValue: "NSAppearanceNameAqua")
        public static let darkAqua = Name(rawValue: "NSAppearanceNameDarkAqua")
    }

    public let name: Name

    public init(_ name: Name) {
        self.name = name
    }

    open func bestMatch(from names: [Name]) -> Name? {
        names.contains(name) ? name : nil
    }
}

open class NSWorkspace: NSObject {
    nonisolated(unsafe) public static let shared = NSWorkspace()

    open var accessibilityDisplayShouldIncreaseContrast = false
}

open class NSColor: NSObject {
    private let components: [CGFloat]
    private let provider: ((NSAppearance) -> NSColor)?

    public init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        components = [red, green, blue, alpha]
        provider = nil
    }

    public init(name: String?, dynamicProvider: @escaping (NSAppearance) -> NSColor) {
        components = []
        provider = dynamicProvider
    }

    /// AppKit resolves a colour as it is drawn, in the appearance of that moment.
    open func resolved(in appearance: NSAppearance) -> NSColor {
        provider?(appearance).resolved(in: appearance) ?? self
    }

    open override var description: String { "\(components)" }
}

extension NSColor: @unchecked Sendable {}
