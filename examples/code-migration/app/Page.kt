val page = R.color.c_bg
val id = resources.getIdentifier("c_bg", "color", packageName)
