// Font weights, which refuse what is out of their range.
package androidx.compose.ui.text.font

class FontWeight(val weight: Int) {
    init {
        require(weight in 1..1000)
    }
}
