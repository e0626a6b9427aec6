// A modifier, which knows the shadows that it draws.
package androidx.compose.ui

import androidx.compose.ui.graphics.shadow.Shadow

interface Modifier {
    val drawn: List<Pair<String, Shadow>>

    companion object : Modifier {
        override val drawn: List<Pair<String, Shadow>> = emptyList()
    }
}

class DrawModifier(override val drawn: List<Pair<String, Shadow>>) : Modifier
