// Android's application, which is created once.
package android.app

open class Application {
    open fun onCreate() {}
}
