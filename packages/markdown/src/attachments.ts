import { posix } from 'node:path'

export type Attachments = ReturnType<typeof createAttachments>

/**
 * Finds the file that an Obsidian note names, as Obsidian does: by path, else by the last segment; of several the one
 * in the attachments folder, then in the folder of the note, then nearest to the root.
 */
export function createAttachments(paths: readonly string[], folder: string) {
  const depth = (path: string) => path.split('/').length
  const sortedPaths = [...paths].sort((one, other) => depth(one) - depth(other))
  const byPath = new Map(sortedPaths.map((path) => [toNameKey(path), path]))
  const byName = Map.groupBy(sortedPaths, (path) => toNameKey(posix.basename(path)))
  return {
    has: (name: string) => byPath.has(toNameKey(name)) || byName.has(toNameKey(posix.basename(name))),
    /** Its path, for the note at `from`; where it is missing the path at which Obsidian would put it. */
    findPath(name: string, from: string): string {
      const beside = posix.dirname(from)
      const own = resolveFolder(folder, beside)
      const knownPath = byPath.get(toNameKey(name))
      if (knownPath !== undefined) return knownPath
      const alike = byName.get(toNameKey(posix.basename(name))) ?? []
      const nearestPath =
        alike.find((path) => posix.dirname(path) === own) ?? alike.find((path) => posix.dirname(path) === beside)
      return nearestPath ?? alike[0] ?? posix.join(own, name)
    },
  }
}

function toNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** `/`: the root; `./x`: below the folder of the note; else a folder of the vault. */
function resolveFolder(setting: string, beside: string): string {
  if (setting === '/' || setting === '') return '.'
  return setting.startsWith('./') || setting === '.' ? posix.join(beside, setting) : posix.normalize(setting)
}
