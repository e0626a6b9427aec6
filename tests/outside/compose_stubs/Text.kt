// Fonts and their weights, which refuse what is out of their range.
package androidx.compose.ui.text.font

data class FontWeight(val weight: Int) {
    init {
        require(weight in 1..1000)
    }
}

@JvmInline
value class DeviceFontFamilyName(val name: String) {
    init {
        require(name.isNotEmpty())
    }
}

data class Font(val familyName: DeviceFontFamilyName)

open class FontFamily(val fonts: List<Font>) {
    constructor(vararg fonts: Font) : this(fonts.toList()) {
        require(fonts.isNotEmpty())
    }

    override fun equals(other: Any?): Boolean = other is FontFamily && other.fonts == fonts

    override fun hashCode(): Int = fonts.hashCode()

    companion object {
        val Default = FontFamily(emptyList())
        val Serif = FontFamily(emptyList())
        val SansSerif = FontFamily(emptyList())
        val Monospace = FontFamily(emptyList())
        val Cursive = FontFamily(emptyList())
    }
}
