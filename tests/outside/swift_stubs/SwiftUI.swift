// What generated files and the pages' examples use of SwiftUI, declared as the interface of its module declares it: a conformance that stands in
// an extension there stands in one here, since where it stands decides about isolation.

@_exported import Foundation

#if canImport(UIKit)
import UIKit
#else
import AppKit
#endif

public protocol ShapeStyle: Sendable {}

public struct Color: Hashable, CustomStringConvertible, Sendable {
    public enum RGBColorSpace: Hashable, Sendable {
        case sRGB, sRGBLinear, displayP3
    }

    #if canImport(UIKit)
    fileprivate let system: UIColor

    public init(uiColor: UIColor) {
        system = uiColor
    }

    public init(_ name: String, bundle: Bundle? = nil) {
        self.init(uiColor: UIColor(named: name, in: bundle, compatibleWith: nil)!)
    }

    public init(_ space: RGBColorSpace = .sRGB, red: Double, green: Double, blue: Double, opacity: Double = 1) {
        self.init(
            uiColor: space == .displayP3
                ? UIColor(displayP3Red: red, green: green, blue: blue, alpha: opacity)
                : UIColor(red: red, green: green, blue: blue, alpha: opacity)
        )
    }

    /// Multiplied, as SwiftUI does.
    public func opacity(_ opacity: Double) -> Color { Color(uiColor: system.multiplied(by: opacity)) }
    #else
    fileprivate let system: NSColor

    public init(nsColor: NSColor) {
        system = nsColor
    }

    private init(_ red: Double, _ green: Double, _ blue: Double, _ alpha: Double) {
        self.init(nsColor: NSColor(srgbRed: red, green: green, blue: blue, alpha: alpha))
    }

    public init(_ name: String, bundle: Bundle? = nil) {
        self.init(0, 0, 0, 0)
    }

    public init(_ space: RGBColorSpace = .sRGB, red: Double, green: Double, blue: Double, opacity: Double = 1) {
        self.init(red, green, blue, opacity)
        self.space = space
    }

    public private(set) var space = RGBColorSpace.sRGB

    public func opacity(_ opacity: Double) -> Color { self }
    #endif

    public var description: String { system.description }
}

extension Color: ShapeStyle {
    public static let red = Color(red: 1, green: 0, blue: 0)
    public static let primary = Color(red: 0, green: 0, blue: 0)
}

extension ShapeStyle where Self == Color {
    public static var red: Color { .red }
}

#if canImport(UIKit)
extension UIColor {
    public convenience init(_ color: Color) {
        self.init { color.system.resolvedColor(with: $0) }
    }
}
#else
extension NSColor {
    public convenience init(_ color: Color) {
        self.init(name: nil) { color.system.resolved(in: $0) }
    }
}
#endif

public enum CGLineCap: Int32, Sendable {
    case butt, round, square
}

public struct Gradient: Hashable {
    public struct Stop: Hashable {
        public var color: Color
        public var location: CGFloat

        public init(color: Color, location: CGFloat) {
            self.color = color
            self.location = location
        }
    }

    public var stops: [Stop]

    public init(stops: [Stop]) {
        self.stops = stops
    }
}

extension Gradient: Sendable {}
extension Gradient.Stop: Sendable {}

public struct Font: Hashable, Sendable {
    public struct Weight: Hashable, Sendable {
        let number: Int

        public static let ultraLight = Weight(number: 100)
        public static let thin = Weight(number: 200)
        public static let light = Weight(number: 300)
        public static let regular = Weight(number: 400)
        public static let medium = Weight(number: 500)
        public static let semibold = Weight(number: 600)
        public static let bold = Weight(number: 700)
        public static let heavy = Weight(number: 800)
        public static let black = Weight(number: 900)
    }

    public enum TextStyle: CaseIterable, Hashable, Sendable {
        case largeTitle, title, title2, title3, headline, subheadline, body, callout, footnote, caption, caption2
    }

    public enum Design: Hashable, Sendable {
        case `default`, serif, rounded, monospaced
    }

    public let shown: String

    public static func system(size: CGFloat, weight: Weight = .regular, design: Design = .default) -> Font {
        Font(shown: "system \(size) \(weight.number) \(design)")
    }
    public static func custom(_ name: String, size: CGFloat, relativeTo style: TextStyle) -> Font {
        Font(shown: "\(name) \(size) \(style)")
    }
    public static func custom(_ name: String, fixedSize: CGFloat) -> Font { Font(shown: "\(name) \(fixedSize)") }
    public func weight(_ weight: Weight) -> Font { Font(shown: "\(shown) \(weight.number)") }
    public func italic() -> Font { Font(shown: "\(shown) italic") }
}

public struct Animation: Equatable, Sendable {
    public static func timingCurve(
        _ p1x: Double, _ p1y: Double, _ p2x: Double, _ p2y: Double, duration: TimeInterval = 0.35
    ) -> Animation { Animation() }

    public func delay(_ delay: TimeInterval) -> Animation { self }
}

public enum ColorScheme: CaseIterable, Sendable {
    case light, dark
}

public enum ColorSchemeContrast: CaseIterable, Sendable {
    case standard, increased
}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]

    public init() {}

    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get { values[ObjectIdentifier(key)] as? K.Value ?? K.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    public var colorScheme = ColorScheme.light
    public var colorSchemeContrast: ColorSchemeContrast { _colorSchemeContrast }
    public var _colorSchemeContrast = ColorSchemeContrast.standard
}

@propertyWrapper public struct Environment<Value> {
    private let path: KeyPath<EnvironmentValues, Value>

    public init(_ path: KeyPath<EnvironmentValues, Value>) {
        self.path = path
    }

    public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
}

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

extension View {
    nonisolated public func environment<V>(_ path: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View { self }
}

public struct Text: View {
    nonisolated public init(_ content: String) {}

    public var body: Never { fatalError() }
}

extension View {
    nonisolated public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { self }
    nonisolated public func padding(_ length: CGFloat) -> some View { self }
    nonisolated public func fontWeight(_ weight: Font.Weight?) -> some View { self }
    nonisolated public func lineSpacing(_ lineSpacing: CGFloat) -> some View { self }
}

extension View {
    nonisolated public func font(_ font: Font?) -> some View { self }
    nonisolated public func tracking(_ tracking: CGFloat) -> some View { self }
    nonisolated public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
    nonisolated public func textCase(_ textCase: Text.Case?) -> some View { self }
    nonisolated public func underline(_ isActive: Bool = true) -> some View { self }
    nonisolated public func strikethrough(_ isActive: Bool = true) -> some View { self }
    nonisolated public func shadow(color: Color, radius: CGFloat, x: CGFloat = 0, y: CGFloat = 0) -> some View { self }
    nonisolated public func blur(radius: CGFloat, opaque: Bool = false) -> some View { self }
    nonisolated public func offset(x: CGFloat = 0, y: CGFloat = 0) -> some View { self }
    nonisolated public func background<V: View>(@ViewBuilder content: () -> V) -> some View { self }
    nonisolated public func modifier<T>(_ modifier: T) -> ModifiedContent<Self, T> { ModifiedContent() }

    @available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    nonisolated public func lineHeight(_ lineHeight: AttributedString.LineHeight?) -> some View { self }
}

extension Text {
    public enum Case: Hashable, Sendable {
        case uppercase, lowercase
    }
}

public enum Edge {
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let vertical = Set(rawValue: 1)
        public static let all = Set(rawValue: 3)
    }
}

extension AttributedString {
    @available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    public struct LineHeight: Hashable, Sendable {
        public static func multiple(factor: CGFloat) -> LineHeight { LineHeight() }
    }
}

@MainActor @preconcurrency public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = ViewModifierContent<Self>
    @ViewBuilder func body(content: Content) -> Body
}

public struct ViewModifierContent<Modifier>: View {
    public var body: Never { fatalError() }
}

public struct ModifiedContent<Content, Modifier>: View {
    nonisolated init() {}

    public var body: Never { fatalError() }
}

public struct TupleView<each Content: View>: View {
    nonisolated init() {}

    public var body: Never { fatalError() }
}

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
}

extension Never: Scene {}

@resultBuilder public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}

extension App {
    public static func main() {}
}

public struct WindowGroup<Content: View>: Scene {
    nonisolated public init(@ViewBuilder content: () -> Content) {}

    public var body: Never { fatalError() }
}

public struct VStack<Content: View>: View {
    nonisolated public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}

    public var body: Never { fatalError() }
}

@propertyWrapper public struct Binding<Value> {
    private let get: () -> Value

    public var wrappedValue: Value {
        get { get() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { self }

    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        self.get = get
    }

    public init(projectedValue: Binding<Value>) {
        self = projectedValue
    }
}

@propertyWrapper public struct State<Value> {
    public var wrappedValue: Value
    public var projectedValue: Binding<Value> { Binding(get: { wrappedValue }, set: { _ in }) }

    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }
}

public struct Toggle: View {
    nonisolated public init(_ title: String, isOn: Binding<Bool>) {}

    public var body: Never { fatalError() }
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<repeat each Content> {
        TupleView()
    }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildEither<First: View, Second: View>(first: First) -> Either<First, Second> { Either() }
    public static func buildEither<First: View, Second: View>(second: Second) -> Either<First, Second> { Either() }
    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { AnyView(content) }
}

public struct Either<First, Second>: View {
    nonisolated init() {}

    public var body: Never { fatalError() }
}

public struct AnyView: View {
    nonisolated public init<V: View>(_ view: V) {}

    public var body: Never { fatalError() }
}

public struct ZStack<Content: View>: View {
    nonisolated public init(@ViewBuilder content: () -> Content) {}

    public var body: Never { fatalError() }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
    nonisolated public init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {}

    public var body: Never { fatalError() }
}

public protocol Shape: Sendable, View {}

public protocol InsettableShape: Shape {
    associatedtype InsetShape: InsettableShape
    nonisolated func inset(by amount: CGFloat) -> InsetShape
}

extension Shape {
    public nonisolated func fill<S: ShapeStyle>(_ content: S) -> some View { AnyView(self) }
}

public struct RoundedRectangle: InsettableShape {
    nonisolated public init(cornerRadius: CGFloat) {}

    public var body: Never { fatalError() }

    nonisolated public func inset(by amount: CGFloat) -> RoundedRectangle { self }
}

extension View {
    nonisolated public func background<S: ShapeStyle, T: InsettableShape>(_ style: S, in shape: T) -> some View { self }
}

@propertyWrapper public struct ScaledMetric<Value: BinaryFloatingPoint> {
    public let wrappedValue: Value

    public init(wrappedValue: Value, relativeTo textStyle: Font.TextStyle) {
        self.wrappedValue = wrappedValue
    }
}

public enum HorizontalAlignment: Sendable {
    case leading, center, trailing
}

public enum VerticalAlignment: Sendable {
    case top, center, bottom
}

public enum Alignment: Sendable {
    case leading, center, trailing
}

public struct HStack<Content: View>: View {
    nonisolated public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}

    public var body: Never { fatalError() }
}

public struct ScrollView<Content: View>: View {
    nonisolated public init(@ViewBuilder content: () -> Content) {}

    public var body: Never { fatalError() }
}

public struct Spacer: View {
    nonisolated public init(minLength: CGFloat? = nil) {}

    public var body: Never { fatalError() }
}

public struct Label: View {
    nonisolated public init(_ title: String, systemImage: String) {}

    public var body: Never { fatalError() }
}

public struct NavigationStack<Root: View>: View {
    public init(@ViewBuilder root: () -> Root) {}

    public var body: Never { fatalError() }
}

public struct NavigationLink<Label: View, Destination>: View {
    public var body: Never { fatalError() }
}

extension NavigationLink where Destination == Never {
    nonisolated public init<P: Hashable>(value: P?, @ViewBuilder label: () -> Label) {}
}

public struct List<SelectionValue, Content>: View {
    public var body: Never { fatalError() }
}

extension List where SelectionValue == Never {
    nonisolated public init<Data: RandomAccessCollection, RowContent: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable {}
}

extension ForEach where ID == Data.Element.ID, Data.Element: Identifiable {
    nonisolated public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}

public struct Button<Label: View>: View {
    public var body: Never { fatalError() }
}

extension Button where Label == Text {
    nonisolated public init(_ title: String, action: @escaping @MainActor () -> Void) {}
}

@MainActor @preconcurrency public protocol ButtonStyle {
    associatedtype Body: View
    typealias Configuration = ButtonStyleConfiguration
    @ViewBuilder func makeBody(configuration: Configuration) -> Body
}

public struct ButtonStyleConfiguration {
    public struct Label: View {
        public var body: Never { fatalError() }
    }

    public let label: Label
    public let isPressed: Bool
}

public enum Visibility: Sendable {
    case automatic, visible, hidden
}

extension View {
    nonisolated public func transformEnvironment<V>(
        _ path: WritableKeyPath<EnvironmentValues, V>, transform: @escaping (inout V) -> Void
    ) -> some View { self }
    nonisolated public func background<S: ShapeStyle>(_ style: S, ignoresSafeAreaEdges edges: Edge.Set = .all) -> some View {
        self
    }
    nonisolated public func buttonStyle<S: ButtonStyle>(_ style: S) -> some View { self }
    nonisolated public func frame(
        minWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil, maxHeight: CGFloat? = nil,
        alignment: Alignment = .center
    ) -> some View { self }
    nonisolated public func listRowBackground<V: View>(_ view: V?) -> some View { self }
    nonisolated public func navigationDestination<D: Hashable, C: View>(
        for data: D.Type, @ViewBuilder destination: @escaping (D) -> C
    ) -> some View { self }
    nonisolated public func navigationTitle(_ title: String) -> some View { self }
    nonisolated public func opacity(_ opacity: Double) -> some View { self }
    nonisolated public func preferredColorScheme(_ colorScheme: ColorScheme?) -> some View { self }
    nonisolated public func previewDisplayName(_ value: String?) -> some View { self }
    nonisolated public func scrollContentBackground(_ visibility: Visibility) -> some View { self }
    nonisolated public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
}

extension Color: View {
    public var body: Never { fatalError() }
}

@MainActor @preconcurrency public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder static var previews: Previews { get }
}

@propertyWrapper public struct AppStorage<Value> {
    private let initial: Value

    public var wrappedValue: Value {
        get { initial }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { Binding(get: { initial }, set: { _ in }) }
}

extension AppStorage where Value == Bool {
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) {
        initial = wrappedValue
    }
}
