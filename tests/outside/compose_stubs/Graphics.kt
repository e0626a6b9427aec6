// Colours as Compose packs those of sRGB: a byte a channel, halves upward.
package androidx.compose.ui.graphics

@JvmInline
value class Color(val value: ULong) {
    val alpha: Float get() = ((value shr 56) and 0xFFu).toFloat() / 255f

    fun copy(alpha: Float = this.alpha): Color {
        val byte = (alpha.coerceIn(0f, 1f) * 255f + 0.5f).toInt().toULong()
        return Color((value and 0x00FFFFFF_FFFFFFFFu) or (byte shl 56))
    }
}

fun Color(color: Long): Color = Color((color.toULong() and 0xFFFFFFFFu) shl 32)

enum class StrokeCap { Butt, Round, Square }

interface Shape

object RectangleShape : Shape
