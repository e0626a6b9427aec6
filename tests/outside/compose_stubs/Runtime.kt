// What generated code uses of Compose's runtime, by the same names: composables are plain functions here.
package androidx.compose.runtime

@Target(AnnotationTarget.FUNCTION, AnnotationTarget.TYPE, AnnotationTarget.PROPERTY_GETTER)
annotation class Composable

@Target(AnnotationTarget.FUNCTION, AnnotationTarget.PROPERTY_GETTER)
annotation class ReadOnlyComposable

@Target(AnnotationTarget.CLASS)
annotation class Immutable

class ProvidedValue<T>(val local: ProvidableCompositionLocal<T>, val value: T)

class ProvidableCompositionLocal<T>(private val default: () -> T) {
    internal val provided = ArrayDeque<T>()

    val current: T
        @Composable
        @ReadOnlyComposable
        get() = provided.lastOrNull() ?: default()

    infix fun provides(value: T): ProvidedValue<T> = ProvidedValue(this, value)
}

fun <T> staticCompositionLocalOf(default: () -> T): ProvidableCompositionLocal<T> = ProvidableCompositionLocal(default)

@Composable
fun <T> CompositionLocalProvider(value: ProvidedValue<T>, content: @Composable () -> Unit) {
    value.local.provided.addLast(value.value)
    content()
    value.local.provided.removeLast()
}

@Composable
fun <T> remember(key: Any?, calculation: () -> T): T = calculation()
