import purify from 'dompurify'

const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'
/** Unicode reserves these 32 code points for programs: no text has them. */
const FIRST_STAND_IN = 0xfd_d0
const STAND_INS = /[\uFDD0-\uFDEF]/gu

/** Syntax in which `#` begins a colour. */
const STYLE_LINE = /^[ \t]*(?:style|linkStyle|classDef|%%)/u
const ENTITY = /&?#\w+;|&\w+;/gu

/**
 * Mermaid removes what looks like HTML from labels, and every `<` and `>`, although labels are text here: the drawing
 * is an image. Until it is drawn, other characters stand for these.
 */
export function keepLabelsAsText(): void {
  const sanitise = purify.sanitize.bind(purify) as (text: string, config?: object) => string
  Object.assign(purify, {
    // Only the finished drawing comes with the names of further elements.
    sanitize: (text: string, config?: object) =>
      config !== undefined && 'ADD_TAGS' in config ? sanitise(text, config) : escapeAngles(text),
  })
}

/** The source with the characters that its entities (`#quot;`, `&lt;`) name, except in colours. */
export function decodeEntities(source: string): string {
  return source.replace(/.+/gu, (line) => (STYLE_LINE.test(line) ? line : line.replace(ENTITY, decodeEntity)))
}

/** The SVG of a drawing with the characters that others stood for. */
export function restoreText(svg: string): string {
  return svg.replace(STAND_INS, (standIn) => {
    const character = PUNCTUATION.charAt(standIn.charCodeAt(0) - FIRST_STAND_IN)
    return `&#${character.charCodeAt(0)};`
  })
}

/** The message of an error with the line of the source: Mermaid counts without front matter and comments. */
export function messageWithLine(error: unknown, source: string): string {
  const { message } = error instanceof Error ? error : new Error(String(error))
  const lines = linesRead(source)
  return message.replace(/\bline (\d+)/gu, (whole, line) => {
    const index = lines[Number(line) - 1] ?? lines.at(-1)
    return index === undefined ? whole : `line ${index + 1}`
  })
}

/** The lines that Mermaid parses; what is missing at the end is reported as a fault in a line after the last one. */
function linesRead(source: string): number[] {
  const [matter = ''] = /^\s*---[ \t]*\n.*?\n[ \t]*---[ \t]*\n/su.exec(source) ?? []
  const before = matter.split('\n').length - 1
  const lines = source
    .trimEnd()
    .split('\n')
    .map((text, index) => ({ text: text.trim(), index }))
  const read = lines.slice(before).filter(({ text }) => !/^%%(?!\{)/u.test(text))
  const first = read.findIndex(({ text }) => text !== '' && !/^%%\{.*\}%%$/u.test(text))
  return read.slice(Math.max(first, 0)).map(({ index }) => index)
}

function escapeAngles(text: string): string {
  return text.replace(/<br\s*\/?>|[<>]/giu, (part) => (part.length > 1 ? part : standFor(part)))
}

function decodeEntity(entity: string): string {
  const holder = document.createElement('textarea')
  holder.innerHTML = entity.replace(/^#(?=\d)/u, '&#').replace(/^#/u, '&')
  const { value } = holder
  return [...value].length > 1 || value < ' ' ? entity : standFor(value)
}

function standFor(character: string): string {
  const index = PUNCTUATION.indexOf(character)
  return index < 0 ? character : String.fromCharCode(FIRST_STAND_IN + index)
}
