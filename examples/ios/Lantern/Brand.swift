import LanternTokens
import SwiftUI

extension Cinema {
    var tokens: any BrandTokens {
        switch self {
        case .lantern: BrandLanternTokens()
        case .matinee: BrandMatineeTokens()
        }
    }
}

extension View {
    /// Shows the view in the brand of a cinema; density and appearance stay as they are.
    func brand(_ cinema: Cinema) -> some View {
        transformEnvironment(\.tokensTheme) { $0.brand = cinema.tokens }
    }
}

struct FilledButtonStyle: ButtonStyle {
    @Environment(\.tokensTheme) private var theme

    func makeBody(configuration: Configuration) -> some View {
        configuration.label
            .textStyle(theme.headline)
            .foregroundStyle(theme.onAccent)
            .padding(.vertical, theme.buttonPadding)
            .frame(maxWidth: .infinity)
            .background(theme.accent, in: RoundedRectangle(cornerRadius: Tokens.radiusControl))
            .opacity(configuration.isPressed ? 0.8 : 1)
    }
}

extension ButtonStyle where Self == FilledButtonStyle {
    static var filled: FilledButtonStyle { FilledButtonStyle() }
}
