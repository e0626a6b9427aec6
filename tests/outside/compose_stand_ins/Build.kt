// Android's version: the 14th here.
package android.os

object Build {
    object VERSION {
        const val SDK_INT: Int = 34
    }

    object VERSION_CODES {
        const val UPSIDE_DOWN_CAKE: Int = 34
    }
}
