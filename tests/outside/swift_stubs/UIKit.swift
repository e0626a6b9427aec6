// What generated files use of UIKit. Sendability and isolation are those of the SDK's headers: UIColor and
// UITraitCollection are NS_SWIFT_SENDABLE, and the block of -initWithDynamicProvider: is not.

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
    private let components: [CGFloat]
    private let provider: ((UITraitCollection) -> UIColor)?

    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        components = [red, green, blue, alpha]
        provider = nil
    }

    public convenience init(displayP3Red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.init(red: displayP3Red, green: green, blue: blue, alpha: alpha)
    }

    public init(dynamicProvider: @escaping (UITraitCollection) -> UIColor) {
        components = []
        provider = dynamicProvider
    }

    public convenience init?(named name: String, in bundle: Bundle?, compatibleWith traits: UITraitCollection?) {
        return nil
    }

    open func resolvedColor(with traits: UITraitCollection) -> UIColor {
        provider?(traits).resolvedColor(with: traits) ?? self
    }

    open override var description: String { "\(components)" }

    // Members that a token may be called after.
    public class var red: UIColor { UIColor(red: 1, green: 0, blue: 0, alpha: 1) }
    public class var label: UIColor { UIColor(red: 0, green: 0, blue: 0, alpha: 1) }
}

extension UITraitCollection: @unchecked Sendable {}
extension UIColor: @unchecked Sendable {}
