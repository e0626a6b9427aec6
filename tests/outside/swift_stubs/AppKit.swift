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

open class NSFontDescriptor: NSObject {
    public struct AttributeName: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let family = AttributeName(rawValue: "NSFontFamilyAttribute")
        public static let traits = AttributeName(rawValue: "NSCTFontTraitsAttribute")
    }

    public struct TraitKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let weight = TraitKey(rawValue: "NSCTFontWeightTrait")
    }

    public struct SystemDesign: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let `default` = SystemDesign(rawValue: "NSCTFontUIFontDesignDefault")
        public static let rounded = SystemDesign(rawValue: "NSCTFontUIFontDesignRounded")
        public static let monospaced = SystemDesign(rawValue: "NSCTFontUIFontDesignMonospaced")
        public static let serif = SystemDesign(rawValue: "NSCTFontUIFontDesignSerif")
    }

    public struct SymbolicTraits: OptionSet, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let italic = SymbolicTraits(rawValue: 1)
    }

    public let name: String

    public init(fontAttributes: [AttributeName: Any]? = nil) {
        name = fontAttributes?[.family] as? String ?? ""
    }

    open var symbolicTraits: SymbolicTraits { [] }
    open func withDesign(_ design: SystemDesign) -> NSFontDescriptor? { self }
    open func withSymbolicTraits(_ traits: SymbolicTraits) -> NSFontDescriptor { self }
}

/// A line of each of its fonts is 1.25 times as high as its size.
open class NSFont: NSObject {
    public struct Weight: RawRepresentable, Hashable, Sendable {
        public let rawValue: CGFloat
        public init(rawValue: CGFloat) { self.rawValue = rawValue }
        public static let ultraLight = Weight(rawValue: -0.8)
        public static let thin = Weight(rawValue: -0.6)
        public static let light = Weight(rawValue: -0.4)
        public static let regular = Weight(rawValue: 0)
        public static let medium = Weight(rawValue: 0.23)
        public static let semibold = Weight(rawValue: 0.3)
        public static let bold = Weight(rawValue: 0.4)
        public static let heavy = Weight(rawValue: 0.56)
        public static let black = Weight(rawValue: 0.62)
    }

    public let pointSize: CGFloat

    private init(_ size: CGFloat) {
        pointSize = size
    }

    public convenience init?(name: String, size: CGFloat) {
        self.init(size)
    }

    public convenience init?(descriptor: NSFontDescriptor, size: CGFloat) {
        self.init(size)
    }

    open class func systemFont(ofSize size: CGFloat, weight: Weight) -> NSFont { NSFont(size) }

    open var fontDescriptor: NSFontDescriptor { NSFontDescriptor() }
    open var ascender: CGFloat { pointSize }
    open var descender: CGFloat { -0.25 * pointSize }
    open var leading: CGFloat { 0 }
}

extension NSFontDescriptor: @unchecked Sendable {}
extension NSFont: @unchecked Sendable {}
