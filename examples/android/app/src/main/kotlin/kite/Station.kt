package kite

import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.padding
import androidx.compose.material3.Button
import androidx.compose.material3.Card
import androidx.compose.material3.CardDefaults
import androidx.compose.material3.MaterialTheme
import androidx.compose.material3.Surface
import androidx.compose.material3.Text
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import kite.tokens.BrandMode
import kite.tokens.Kite
import kite.tokens.KiteMaterialTheme
import kite.tokens.KiteTheme

/** A station in the colours of a brand; light or dark, and with more contrast, as the system is. */
@Composable
fun BrandedStation(brand: BrandMode) {
    KiteMaterialTheme(KiteTheme.system().copy(brand = brand)) { Station() }
}

/** A station. What Material has no role for is a token: the colour of what is available, and the spaces. */
@Composable
fun Station() {
    val space = Kite.base
    Surface(Modifier.fillMaxSize()) {
        Column(Modifier.padding(space.spaceLarge), Arrangement.spacedBy(space.spaceMedium)) {
            Text("Harbour Square", style = MaterialTheme.typography.headlineMedium)
            Text("7 bikes", color = Kite.scheme.available, style = MaterialTheme.typography.bodyMedium)
            Card(
                Modifier.fillMaxWidth(),
                MaterialTheme.shapes.medium,
                CardDefaults.cardColors(MaterialTheme.colorScheme.errorContainer),
            ) {
                Text(
                    "Closed for repairs",
                    Modifier.padding(space.spaceMedium),
                    style = MaterialTheme.typography.titleMedium,
                )
            }
            Button(onClick = {}) { Text("Hire a bike") }
        }
    }
}
