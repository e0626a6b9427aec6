// Builds a token folder with Style Dictionary, as `matched.py` describes it: one instance a theme.
//
//     node benchmarks/style_dictionary.mjs PLAN OUTPUT
//
// PLAN is a JSON file: the theme names in order, and for each the token files that make it up. The first theme is the
// default one. Only built-in formats are used where there is one. The names are joined directly, which is faster than
// the built-in name transforms and leaves out the collection that starts each path.

import { readFileSync } from 'node:fs';
import StyleDictionary from 'style-dictionary';

const [, , plan, output] = process.argv;
const themes = JSON.parse(readFileSync(plan, 'utf8'));

const words = (token) => token.path.slice(1).flatMap((part) => part.split('-'));
const isType = (...types) => (token) => types.includes(token.$type);
const escapeXml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const escapeResource = (text) => escapeXml(text).replace(/["'\\]/g, '\\$&').replace(/^[@?]/, '\\$&');
const quote = (text) => `"${text.replace(/["\\]/g, '\\$&')}"`;

const transforms = {
  'bench/name/css': ['name', () => true, (token) => words(token).join('-')],
  'bench/name/android': ['name', () => true, (token) => words(token).join('_')],
  'bench/name/swift': [
    'name',
    () => true,
    (token) => words(token).map((word, index) => (index ? word[0].toUpperCase() + word.slice(1) : word)).join(''),
  ],
  'bench/css/string': ['value', isType('string', 'fontFamily'), (token) => quote(token.$value)],
  'bench/css/dimension': ['value', isType('dimension'), (token) => `${token.$value.value}${token.$value.unit}`],
  'bench/android/dimension': ['value', isType('dimension'), (token) => `${token.$value.value}dp`],
  'bench/android/string': ['value', isType('string', 'fontFamily'), (token) => escapeResource(token.$value)],
  'bench/swift/dimension': ['value', isType('dimension'), (token) => token.$value.value],
  'bench/swift/string': ['value', isType('string', 'fontFamily'), (token) => quote(token.$value)],
};
for (const [name, [type, filter, transform]] of Object.entries(transforms)) {
  StyleDictionary.registerTransform({ name, type, filter, transform });
}

// The built-in format for resources has no form for a number without a unit.
StyleDictionary.registerFormat({
  name: 'bench/android/numbers',
  format: ({ dictionary }) => {
    const items = dictionary.allTokens.map(
      (token) => `    <item name="${token.name}" type="dimen" format="float">${token.$value}</item>\n`,
    );
    return `<?xml version="1.0" encoding="UTF-8"?>\n<resources>\n${items.join('')}</resources>\n`;
  },
});

const resourceMap = {
  color: 'color',
  dimension: 'dimen',
  string: 'string',
  fontFamily: 'string',
  fontWeight: 'integer',
};
const defaults = { css: new Map(), android: new Map() };

// A theme's file holds what differs from the default theme. A reference that leads elsewhere counts, even to an equal
// value: the default's reference would follow its target into the theme.
const differs = (platform, isDefault) => (token) => {
  const written = `${token.$value} ${typeof token.original.$value === 'string' ? token.original.$value : ''}`;
  if (isDefault) defaults[platform].set(token.name, written);
  return isDefault || defaults[platform].get(token.name) !== written;
};

const platformsOf = (name, index) => {
  const platforms = {
    css: {
      transforms: ['bench/name/css', 'color/css', 'bench/css/string', 'bench/css/dimension'],
      buildPath: `${output}/css/`,
      files: [
        {
          destination: `${name}.css`,
          format: 'css/variables',
          filter: differs('css', index === 0),
          options: { selector: index ? `[data-theme="${name}"]` : ':root', outputReferences: true },
        },
      ],
    },
  };
  if (index < 2) {
    const isChosen = differs('android', index === 0);
    platforms.android = {
      transforms: ['bench/name/android', 'color/hex8android', 'bench/android/dimension', 'bench/android/string'],
      buildPath: `${output}/android/${index ? 'values-night' : 'values'}/`,
      files: [
        {
          destination: 'tokens.xml',
          format: 'android/resources',
          filter: (token) => token.$type !== 'number' && isChosen(token),
          // The built-in format cannot refer to a token that the filter leaves out, as the file for the night needs it.
          options: { outputReferences: index === 0, resourceMap },
        },
        {
          destination: 'numbers.xml',
          format: 'bench/android/numbers',
          filter: (token) => token.$type === 'number' && isChosen(token),
        },
      ],
    };
  }
  if (index === 0) {
    platforms.ios = {
      transforms: ['bench/name/swift', 'color/ColorSwiftUI', 'bench/swift/dimension', 'bench/swift/string'],
      buildPath: `${output}/ios/`,
      files: [
        {
          destination: 'Tokens.swift',
          format: 'ios-swift/enum.swift',
          options: { className: 'Tokens', import: 'SwiftUI', outputReferences: true },
        },
      ],
    };
  }
  return platforms;
};

for (const [index, [name, source]] of Object.entries(themes).entries()) {
  const dictionary = new StyleDictionary({
    source,
    log: { warnings: 'disabled', verbosity: 'silent' },
    platforms: platformsOf(name, index),
  });
  await dictionary.buildAllPlatforms();
}
