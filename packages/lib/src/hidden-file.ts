/** Whether a name marks a file or folder as hidden, or as an addition of macOS to an archive. Imports skip these. */
export function isHiddenName(name: string): boolean {
  return name.startsWith('.') || name === '__MACOSX'
}
