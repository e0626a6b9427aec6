import LanternTokens
import SwiftUI

struct ScreeningDetail: View {
    let screening: Screening
    @Environment(\.tokensTheme) private var theme

    var body: some View {
        ScrollView {
            VStack(alignment: .leading, spacing: theme.sectionSpacing) {
                Poster(screening: screening)
                Text(screening.synopsis)
                    .textStyle(Tokens.body)
                    .foregroundStyle(.textPrimary)
                Label("\(screening.seatsLeft) seats left", systemImage: "ticket")
                    .textStyle(Tokens.caption)
                    .foregroundStyle(screening.isNearlyFull ? .alert : .textSecondary)
                Button("Book seats") {}
                    .buttonStyle(.filled)
            }
            .padding(Tokens.spaceLg)
        }
        .background(Color.surface)
        .navigationTitle(screening.cinema.rawValue)
    }
}

/// The film's title on a card that takes colours, typeface and shadow from the brand.
struct Poster: View {
    let screening: Screening
    @Environment(\.tokensTheme) private var theme

    private let card = RoundedRectangle(cornerRadius: Tokens.radiusCard)

    var body: some View {
        VStack(alignment: .leading, spacing: Tokens.spaceSm) {
            Text(screening.time)
                .textStyle(theme.headline)
                .foregroundStyle(theme.accent)
            Text(screening.film)
                .textStyle(theme.title)
                .foregroundStyle(theme.textPrimary)
        }
        .padding(Tokens.spaceLg)
        .frame(maxWidth: .infinity, alignment: .leading)
        .background(theme.accentSubtle, in: card)
        .shadow(theme.raised, in: card)
    }
}
