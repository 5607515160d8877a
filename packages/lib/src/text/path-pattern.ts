/**
 * Whether a pattern as in a CODEOWNERS file matches a path: `*` is any part of a segment, `**` any segments. A pattern
 * with a slash before its end begins at the first segment, others match at every depth, and all match what is below.
 */
export function matchesPathPattern(pattern: string, path: string): boolean {
  const isAnchored = /\/[^/]/.test(pattern)
  const segments = pattern.split('/').filter((segment) => segment !== '')
  const anchoredSegments = isAnchored ? segments : ['**', ...segments]
  // What is below counts; a pattern that ends with a slash is a folder, whose page is not in it.
  const patterns = pattern.endsWith('/') ? [...anchoredSegments, '*', '**'] : [...anchoredSegments, '**']
  return matchesParts(patterns, path.split('/'), '**', matchesSegment)
}

function matchesSegment(pattern: string, segment: string): boolean {
  return matchesParts([...pattern], [...segment], '*', (a, b) => a === b)
}

/**
 * Whether a list of patterns matches a list of parts, where `star` stands for any number of them. Only the last star is
 * tried again, so that no pattern takes more than the product of both lengths.
 */
function matchesParts(
  patterns: readonly string[],
  parts: readonly string[],
  star: string,
  matchesOne: (pattern: string, part: string) => boolean,
): boolean {
  let [pattern, part] = [0, 0]
  let retry: readonly [pattern: number, part: number] | undefined
  while (part < parts.length) {
    const current = patterns[pattern]
    if (current === star) retry = [++pattern, part]
    else if (current !== undefined && matchesOne(current, parts[part] ?? '')) {
      pattern++
      part++
    } else if (retry) {
      retry = [retry[0], retry[1] + 1]
      ;[pattern, part] = retry
    } else return false
  }
  return patterns.slice(pattern).every((rest) => rest === star)
}
