/** The languages of highlighted code blocks, each with its aliases. */
const LANGUAGES: Readonly<Record<string, string>> = {
  bash: 'sh zsh',
  c: 'h',
  cmake: '',
  cpp: 'cc c++ h++ hpp hh hxx cxx',
  csharp: 'cs c#',
  css: '',
  dart: '',
  diff: 'patch',
  dockerfile: 'docker',
  elixir: 'ex exs',
  go: 'golang',
  graphql: 'gql',
  groovy: 'gradle',
  haskell: 'hs',
  ini: 'toml',
  java: 'jsp',
  javascript: 'js jsx mjs cjs',
  json: 'jsonc json5',
  kotlin: 'kt kts',
  less: '',
  lua: '',
  makefile: 'mk mak make',
  markdown: 'md mkdown mkd',
  nginx: 'nginxconf',
  nix: 'nixos',
  objectivec: 'mm objc obj-c obj-c++ objective-c++',
  perl: 'pl pm',
  php: '',
  'php-template': '',
  powershell: 'pwsh ps ps1',
  protobuf: 'proto',
  python: 'py gyp ipython',
  'python-repl': 'pycon',
  r: '',
  ruby: 'rb gemspec podspec thor irb',
  rust: 'rs',
  scala: '',
  scss: '',
  shell: 'console shellsession',
  sql: '',
  swift: '',
  typescript: 'ts tsx mts cts',
  vbnet: 'vb',
  wasm: '',
  xml: 'html xhtml rss atom xjb xsd xsl plist wsf svg',
  yaml: 'yml',
}

/** Languages that embed others. */
export const DEPENDS_ON: Readonly<Record<string, readonly string[]>> = {
  dart: ['markdown'],
  dockerfile: ['bash'],
  javascript: ['xml', 'css', 'graphql'],
  markdown: ['xml'],
  nix: ['markdown'],
  'php-template': ['xml', 'php'],
  'python-repl': ['python'],
  shell: ['bash'],
  typescript: ['xml', 'css', 'graphql'],
  xml: ['css', 'javascript'],
  yaml: ['ruby'],
}

const BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(LANGUAGES).flatMap(([name, aliases]) =>
    [name, ...aliases.split(' ')].map((alias) => [alias, name] as const),
  ),
)

/** highlight.js's name of a language, from any of its names in any case. */
export function languageNamed(name: string): string | undefined {
  return name === '' ? undefined : BY_NAME.get(name.toLowerCase())
}
