/** The maximum cost, in microseconds, of parsing or rendering on the main thread. */
export const INLINE_BUDGET = 20_000

/** Microseconds of any other character. */
const OTHER = 0.4
/** Worst-case microseconds of one character, by bench/markdown.ts. Ordinary text costs far less. */
const ANALYSE = weights({
  '[': 5,
  '!': 4,
  ']': 3,
  '<': 4,
  '@': 4,
  '\n': 5,
  '#': 3,
  '*': 2,
  _: 2,
  '~': 3,
  '-': 3,
  '>': 3,
  '|': 4,
})
const RENDER = weights({
  '[': 12,
  '!': 4,
  ']': 10,
  '<': 8,
  '@': 12,
  '\n': 14,
  '#': 6,
  '*': 4,
  _: 4,
  '~': 5,
  '-': 12,
  '>': 8,
  '|': 14,
  '^': 16,
  '&': 4,
  ':': 8,
  '.': 8,
})
const FRONT_MATTER = 5
const CELL = 14
const WWW = 25
/** highlight.js takes at least quadratic time in the worst case. */
const CODE = 25

/** Whether parsing or rendering a short body does not block the event loop for long. It reads every character. */
export function isCheap(kind: 'analyse' | 'render', body: string, budget = INLINE_BUDGET): boolean {
  const weight = kind === 'analyse' ? ANALYSE : RENDER
  let cost = body.startsWith('---') ? FRONT_MATTER * frontMatterLength(body) : 0
  for (let at = 0; at < body.length; at++) cost += weight[body.charCodeAt(at)] ?? OTHER
  if (cost > budget) return false
  if (body.includes('www.')) cost += WWW * (body.split('www.').length - 1)
  return cost + linesCost(kind, body) <= budget
}

function weights(configuredWeights: Readonly<Record<string, number>>): readonly number[] {
  return Array.from({ length: 128 }, (_, code) => configuredWeights[String.fromCharCode(code)] ?? OTHER)
}

function frontMatterLength(body: string): number {
  const end = body.indexOf('\n---', 3)
  return end === -1 ? 0 : end
}

/** Code blocks by their size, and tables by their width: a row of one cell is filled up to all columns. */
function linesCost(kind: 'analyse' | 'render', body: string): number {
  let cost = kind === 'render' ? codeCost(body) : 0
  let columns = 0
  for (let start = 0; start <= body.length; ) {
    const lineEnd = body.indexOf('\n', start)
    const end = lineEnd === -1 ? body.length : lineEnd
    if (isOrdinary(body, start, end)) cost += CELL * columns
    else {
      const line = body.slice(start, end)
      if (line.trim() === '') columns = 0
      else if (/^[\s|:>]*-[\s|:>-]*$/.test(line)) columns = line.split('|').length
      else cost += CELL * columns
    }
    start = end + 1
  }
  return cost
}

/** Whether a line is surely neither empty nor the one below the head of a table, by its first characters. */
function isOrdinary(body: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = body.charCodeAt(at)
    if (code > 0x20 && code < 0x7f && code !== PIPE && code !== COLON && code !== GREATER) return code !== DASH
    if (code >= 0x7f) return false
  }
  return false
}

const PIPE = 0x7c
const COLON = 0x3a
const GREATER = 0x3e
const DASH = 0x2d

function codeCost(body: string): number {
  if (!body.includes('```') && !body.includes('~~~')) return 0
  let cost = 0
  let fence: string | undefined
  for (const line of body.split('\n')) {
    const mark = /^[ \t>]*(?:[-*+] +|\d+[.)] +)*(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark?.startsWith(fence ?? '')) fence = fence === undefined ? mark : undefined
    else if (fence !== undefined) cost += CODE * line.length
  }
  return cost
}
