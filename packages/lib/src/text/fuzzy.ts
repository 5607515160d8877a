/** Case and accents do not count. */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
}

/** How well a text has each typed word: as a prefix of a word, within one, or with letters left out; 0: not at all. */
export function fuzzyScore(text: string, typedText: string): number {
  const words = typedText.split(/\s+/).filter(Boolean)
  const scores = words.map((word) => wordScore(text, word))
  if (scores.some((score) => score === 0)) return 0
  const whole = text === typedText ? 100 : text.startsWith(typedText) ? 50 : 0
  return whole + scores.reduce((sum, score) => sum + score, 0) / Math.max(1, words.length)
}

/** Shorter words match too much with letters left out. */
const MIN_FUZZY = 3

function wordScore(text: string, word: string): number {
  const at = text.indexOf(word)
  if (at === 0) return 100
  if (at > 0) return startsWord(text, at) || hasPrefix(text, word) ? 80 : 40
  return word.length < MIN_FUZZY ? 0 : subsequenceScore(text, word)
}

function hasPrefix(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (startsWord(text, at)) return true
  }
  return false
}

/** The letters in their order within a word, the first at its start: the fewer others between them, the better. */
function subsequenceScore(text: string, word: string): number {
  const [first = '', ...rest] = word
  let best = 0
  for (let start = text.indexOf(first); start !== -1; start = text.indexOf(first, start + 1)) {
    if (!startsWord(text, start)) continue
    let end = start
    const wordEnd = start + (/[^\p{L}\p{N}]|$/u.exec(text.slice(start))?.index ?? 0)
    const isFound = rest.every((letter) => {
      end = text.indexOf(letter, end + 1)
      return end !== -1 && end < wordEnd
    })
    if (isFound) best = Math.max(best, 30 - (end - start + 1 - word.length))
  }
  return best
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))
}
