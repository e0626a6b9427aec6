// What generated files use of UIKit. Sendability and isolation are those of the SDK's headers: UIColor, UITraitCollection,
// UIFont and its descriptor and metrics are NS_SWIFT_SENDABLE, and the block of -initWithDynamicProvider: is not.

@_exported import Foundation

public enum UIUserInterfaceStyle: Int, Sendable {
    case unspecified, light, dark
}

public enum UIAccessibilityContrast: Int, Sendable {
    case unspecified = -1
    case normal, high
}

open class UITraitCollection: NSObject {
    public let userInterfaceStyle: UIUserInterfaceStyle
    public let accessibilityContrast: UIAccessibilityContrast

    public init(_ style: UIUserInterfaceStyle, _ contrast: UIAccessibilityContrast) {
        userInterfaceStyle = style
        accessibilityContrast = contrast
    }
}

open class UIColor: NSObject {
    private let shown: String
    private let alpha: CGFloat
    private let provider: ((UITraitCollection) -> UIColor)?

    private init(_ shown: String, _ alpha: CGFloat) {
        self.shown = shown
        self.alpha = alpha
        provider = nil
    }

    public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.init("\(red), \(green), \(blue)", alpha)
    }

    public convenience init(displayP3Red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.init("\"display-p3\", \(displayP3Red), \(green), \(blue)", alpha)
    }

    public init(dynamicProvider: @escaping (UITraitCollection) -> UIColor) {
        shown = ""
        alpha = 1
        provider = dynamicProvider
    }

    /// No catalog is compiled here: each name is taken for that of a colour.
    public convenience init?(named name: String, in bundle: Bundle?, compatibleWith traits: UITraitCollection?) {
        self.init("\"\(name)\"", 1)
    }

    open func resolvedColor(with traits: UITraitCollection) -> UIColor {
        provider?(traits).resolvedColor(with: traits) ?? self
    }

    /// For the stand-in of SwiftUI, whose colours multiply their opacity.
    public func multiplied(by opacity: CGFloat) -> UIColor {
        UIColor { [self] in
            let color = resolvedColor(with: $0)
            return UIColor(color.shown, color.alpha * opacity)
        }
    }

    /// The components or the name in the catalog, and the opacity.
    open override var description: String { "[\(shown), \(alpha)]" }

    // Members that a token may be called after.
    public class var red: UIColor { UIColor(red: 1, green: 0, blue: 0, alpha: 1) }
    public class var label: UIColor { UIColor(red: 0, green: 0, blue: 0, alpha: 1) }
}

extension UITraitCollection: @unchecked Sendable {}
extension UIColor: @unchecked Sendable {}

open class UIFontDescriptor: NSObject {
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
        public static let traitItalic = SymbolicTraits(rawValue: 1)
    }

    public let name: String

    public init(fontAttributes: [AttributeName: Any] = [:]) {
        name = fontAttributes[.family] as? String ?? ""
    }

    fileprivate init(_ name: String) {
        self.name = name
    }

    open var symbolicTraits: SymbolicTraits { [] }

    open func withDesign(_ design: SystemDesign) -> UIFontDescriptor? {
        UIFontDescriptor("\(name) \(design.rawValue)")
    }

    open func withSymbolicTraits(_ traits: SymbolicTraits) -> UIFontDescriptor? {
        traits.contains(.traitItalic) ? UIFontDescriptor("\(name) italic") : self
    }
}

/// A line of each of its fonts is 1.25 times as high as its size.
open class UIFont: NSObject {
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

    public struct TextStyle: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let largeTitle = TextStyle(rawValue: "largeTitle")
        public static let headline = TextStyle(rawValue: "headline")
        public static let title1 = TextStyle(rawValue: "title1")
        public static let title2 = TextStyle(rawValue: "title2")
        public static let title3 = TextStyle(rawValue: "title3")
        public static let body = TextStyle(rawValue: "body")
        public static let callout = TextStyle(rawValue: "callout")
        public static let subheadline = TextStyle(rawValue: "subheadline")
        public static let footnote = TextStyle(rawValue: "footnote")
        public static let caption1 = TextStyle(rawValue: "caption1")
        public static let caption2 = TextStyle(rawValue: "caption2")
    }

    public let fontName: String
    public let pointSize: CGFloat

    private init(_ name: String, _ size: CGFloat) {
        fontName = name
        pointSize = size
    }

    public convenience init?(name: String, size: CGFloat) {
        self.init(name, size)
    }

    public convenience init(descriptor: UIFontDescriptor, size: CGFloat) {
        self.init(descriptor.name, size)
    }

    open class func systemFont(ofSize size: CGFloat, weight: Weight) -> UIFont {
        UIFont("system", size)
    }

    open var fontDescriptor: UIFontDescriptor { UIFontDescriptor(fontName) }
    open var lineHeight: CGFloat { pointSize * 1.25 }

    open override var description: String { "\(fontName) \(pointSize)" }
}

open class UIFontMetrics: NSObject {
    private let style: UIFont.TextStyle

    public init(forTextStyle style: UIFont.TextStyle) {
        self.style = style
    }

    open func scaledFont(for font: UIFont) -> UIFont {
        UIFont(name: "\(font.fontName) as \(style.rawValue)", size: font.pointSize)!
    }
}

extension UIFontDescriptor: @unchecked Sendable {}
extension UIFont: @unchecked Sendable {}
extension UIFontMetrics: @unchecked Sendable {}
