// What Material Components apply to all activities: the system's contrast, and its dynamic colours.
package com.google.android.material.color

import android.app.Application

class ColorContrastOptions private constructor() {
    class Builder {
        fun setMediumContrastThemeOverlay(overlay: Int): Builder = this

        fun setHighContrastThemeOverlay(overlay: Int): Builder = this

        fun build(): ColorContrastOptions = ColorContrastOptions()
    }
}

object ColorContrast {
    fun applyToActivitiesIfAvailable(application: Application, options: ColorContrastOptions) {}
}

object DynamicColors {
    fun applyToActivitiesIfAvailable(application: Application) {}
}
