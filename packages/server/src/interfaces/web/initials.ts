/** The first letters of the first and the last word. */
export function toInitials(name: string): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
  const [first = '', ...others] = words.map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0))
  return (first + (others.at(-1) ?? '')).toUpperCase()
}
