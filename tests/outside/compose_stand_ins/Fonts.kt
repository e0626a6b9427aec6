// The fonts of Android's source set: those of an app's resources.
package androidx.compose.ui.text.font

data class ResourceFont(
    val resId: Int,
    override val weight: FontWeight,
    override val style: FontStyle,
    override val loadingStrategy: FontLoadingStrategy = FontLoadingStrategy.Blocking,
) : Font

fun Font(resId: Int, weight: FontWeight = FontWeight.Normal, style: FontStyle = FontStyle.Normal): Font =
    ResourceFont(resId, weight, style)
