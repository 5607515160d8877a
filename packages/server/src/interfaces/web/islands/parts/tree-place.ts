/**
 * A place in the tree: a folder, and the sibling before it; `after` is null for the first place, and absent for any.
 */
export interface TreePlace {
  readonly folder: string
  readonly after?: string | null
}

/** The actions of an editor in a page tree. */
export interface TreeEditor {
  readonly nav: HTMLElement
  readonly space: string
  /** Shows a message with Undo. */
  say(message: string, undo?: () => Promise<void>): void
  /** The title of a page, or the name of a folder. */
  readTitle(path: string): string
  /** Shows the tree as it is now, with the focus on a page or folder, whose folder is opened. */
  reload(path: string): Promise<void>
}

export const lastSegment = (path: string) => path.slice(path.lastIndexOf('/') + 1)
export const parentFolder = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))
