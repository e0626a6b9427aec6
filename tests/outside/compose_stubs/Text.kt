// Fonts and their weights, which refuse what is out of their range. `Font(resId)` is in Android's source set only.
package androidx.compose.ui.text.font

data class FontWeight(val weight: Int) {
    init {
        require(weight in 1..1000)
    }

    companion object {
        val Normal = FontWeight(400)
    }
}

@JvmInline
value class FontStyle(val value: Int) {
    companion object {
        val Normal = FontStyle(0)
        val Italic = FontStyle(1)
    }
}

interface Font {
    val weight: FontWeight
    val style: FontStyle
}

data class ResourceFont(val resId: Int, override val weight: FontWeight, override val style: FontStyle) : Font

fun Font(resId: Int, weight: FontWeight = FontWeight.Normal, style: FontStyle = FontStyle.Normal): Font =
    ResourceFont(resId, weight, style)

sealed class FontFamily {
    companion object {
        val Default: FontFamily = GenericFontFamily("default")
        val Serif: FontFamily = GenericFontFamily("serif")
        val SansSerif: FontFamily = GenericFontFamily("sans-serif")
        val Monospace: FontFamily = GenericFontFamily("monospace")
        val Cursive: FontFamily = GenericFontFamily("cursive")
    }
}

data class GenericFontFamily(val name: String) : FontFamily()

data class FontListFontFamily(val fonts: List<Font>) : FontFamily()

fun FontFamily(vararg fonts: Font): FontFamily {
    require(fonts.isNotEmpty())
    return FontListFontFamily(fonts.toList())
}
