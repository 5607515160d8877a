/** Returns a count and its noun, in the plural unless the count is one: `1 link`, `3 links`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}
