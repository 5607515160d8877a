const rows = (count: number) => Array.from({ length: Math.floor(count) }, (_, index) => index)

/** What is repeated to make a hostile body. */
export const PATTERNS: readonly string[] = [
  '*a_ ',
  '**a ',
  '**x*',
  '_',
  '[',
  '![',
  '[^',
  '[a](',
  '[a](b "',
  '[a][b]',
  '<',
  '<http://',
  '<a b="',
  '<!-- ',
  '<![CDATA[',
  '<?',
  '<b>',
  '<a href=x>',
  '<p><b>',
  '> ',
  '- ',
  '> - ',
  '1. ',
  '- a\n',
  '# a\n',
  '`a``',
  '```\n',
  '~a ~~',
  '|',
  '\\*',
  '&a',
  '&amp;',
  'www.',
  '_www.',
  'www.a ',
  'http://',
  'http://a_b/',
  'http://a.b/(',
  'a@',
  'a@b.c ',
  'a@b.c@',
  ' ',
  '\t',
  '\n',
  '\r',
  '[a\n',
  '[a]: b "\n',
  '</p>',
  '😀*',
  '<li>',
  '<details>\n\n',
  '===\n',
  'a\n',
  'a  \n',
  '<a b>\n',
  '<x\n',
]
/** Bodies of about so many characters that take quadratic time somewhere when nobody has thought of them. */
export function hostileBodies(size: number): Readonly<Record<string, string>> {
  const filled = (pattern: string) => pattern.repeat(Math.ceil(size / pattern.length)).slice(0, size)
  return {
    ...Object.fromEntries(PATTERNS.map((pattern) => [pattern, filled(pattern)])),
    'raw tags in one block': `<div>\n${filled('<b>')}`,
    'closing tags without opening ones': `<div>\n${filled('<b></i>')}`,
    'a tag of attributes': `<div>\n<a ${rows(size / 8)
      .map((row) => `a${row}=b `)
      .join('')}>`,
    'tags that never end': `<div>\n${filled('<a ')}`,
    'scripts that never end': `<div>\n${filled('<script>')}`,
    'comments in an address': `<a href="${filled('<!---->')}">`,
    'growing runs of backticks': rows(Math.sqrt(2 * size))
      .map((row) => `${'`'.repeat(row + 1)}a`)
      .join(' '),
    'deeper and deeper lists': rows(Math.sqrt(2 * size))
      .map((row) => `${' '.repeat(row)}- a\n`)
      .join(''),
    'many definitions': rows(size / 13)
      .map((row) => `[a${row}]: /x\n`)
      .join(''),
    'a long definition and many references': `[a]: ${'x'.repeat(size / 2)}\n\n${'[a]'.repeat(size / 6)}`,
    'a footnote for everyone': `[^a]: x\n\n${'[^a]'.repeat(size / 4)}`,
    'footnotes of footnotes': `[^0]\n\n${rows(size / 20)
      .map((row) => `[^${row}]: a[^${row + 1}]\n`)
      .join('')}`,
    'a wide and long table': `${'|a'.repeat(100)}|\n${'|-'.repeat(100)}|\n${`${'|a'.repeat(100)}|\n`.repeat(size / 201)}`,
    'a table that fills itself up': `${'a|'.repeat(8)}a\n${'-|'.repeat(8)}-\n${'a\n'.repeat(size / 2)}`,
    'nested links': `${'['.repeat(size / 4)}${'](a)'.repeat(size / 4)}`,
    'YAML of lists': `---\na:\n${'- '.repeat(size / 2 - 8)}\n---\n`,
    'YAML of aliases': `---\na: &a b\nc: [${'*a,'.repeat(size / 3 - 8)}]\n---\n`,
  }
}
