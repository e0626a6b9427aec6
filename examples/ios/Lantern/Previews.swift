import LanternTokens
import SwiftUI

struct ScreeningDetail_Previews: PreviewProvider {
    static var previews: some View {
        ForEach(Screening.tonight) { screening in
            ScreeningDetail(screening: screening)
                .brand(screening.cinema)
                .previewDisplayName(screening.cinema.rawValue)
        }
        ScreeningDetail(screening: Screening.tonight[1])
            .brand(.matinee)
            .preferredColorScheme(.dark)
            .previewDisplayName("Matinee, dark")
    }
}
