// Modifiers that draw shadows, as a list of what they draw.
package androidx.compose.ui.draw

import androidx.compose.ui.DrawModifier
import androidx.compose.ui.Modifier
import androidx.compose.ui.graphics.Shape
import androidx.compose.ui.graphics.shadow.Shadow

fun Modifier.dropShadow(shape: Shape, shadow: Shadow): Modifier = DrawModifier(drawn + ("drop" to shadow))

fun Modifier.innerShadow(shape: Shape, shadow: Shadow): Modifier = DrawModifier(drawn + ("inner" to shadow))
