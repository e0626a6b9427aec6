import 'package:flutter/material.dart';

import 'tokens/design_tokens.dart';

void main() => runApp(const App(modes: DesignTokens()));

class App extends StatelessWidget {
  const App({super.key, required this.modes});

  final DesignTokens modes;

  @override
  Widget build(BuildContext context) {
    final light = modes.forBrightness(Brightness.light);
    final dark = modes.forBrightness(Brightness.dark);
    return MaterialApp(
      theme: light.toThemeData(Brightness.light),
      darkTheme: dark.toThemeData(Brightness.dark),
      home: const Departures(),
    );
  }
}

class Departures extends StatelessWidget {
  const Departures({super.key});

  @override
  Widget build(BuildContext context) {
    final theme = context.themeTokens;
    final density = context.densityTokens;
    return Scaffold(
      body: Padding(
        padding: EdgeInsets.all(density.spaceMd),
        child: Column(
          children: [
            Text('Departures', style: TextStyle(color: theme.textPrimary)),
            FilledButton(
              onPressed: () {},
              style: FilledButton.styleFrom(
                minimumSize: Size.fromHeight(density.controlHeight),
              ),
              child: const Text('Book'),
            ),
          ],
        ),
      ),
    );
  }
}
