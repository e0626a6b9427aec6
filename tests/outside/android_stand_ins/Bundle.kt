// The state that an activity saved.
package android.os

class Bundle
