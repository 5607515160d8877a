/**
 * Whether the name of a file or a folder marks it as hidden, or as an addition of macOS to an archive. Imports skip
 * these.
 */
export function isHiddenName(name: string): boolean {
  return name.startsWith('.') || name === '__MACOSX'
}
