// Lengths: Floats in density-independent or in scalable pixels.
package androidx.compose.ui.unit

@JvmInline
value class Dp(val value: Float)

@JvmInline
value class TextUnit(val value: Float) {
    companion object {
        val Unspecified = TextUnit(Float.NaN)
    }
}

val Int.dp: Dp get() = Dp(this.toFloat())
val Double.dp: Dp get() = Dp(this.toFloat())
val Int.sp: TextUnit get() = TextUnit(this.toFloat())
val Double.sp: TextUnit get() = TextUnit(this.toFloat())
val Int.em: TextUnit get() = TextUnit(this.toFloat())
val Double.em: TextUnit get() = TextUnit(this.toFloat())
val Float.dp: Dp get() = Dp(this)
val Float.sp: TextUnit get() = TextUnit(this)
val Float.em: TextUnit get() = TextUnit(this)
