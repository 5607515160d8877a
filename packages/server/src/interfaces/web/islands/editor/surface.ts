import type { KeyRow } from '../parts/keys-dialog.ts'

/** A point of the window. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** A place in the text for a file that is being uploaded, which moves with the text around it. */
export interface FilePlace {
  insert(markdown: string): void
  forget(): void
}

/** The text of the page in one of the modes of the editor. */
export interface Surface {
  readonly dom: HTMLElement
  /** What the toolbar has for this mode. */
  readonly tools: readonly HTMLElement[]
  readonly keys: readonly KeyRow[]
  text(): string
  /** Replaces the text, which can be undone. */
  replaceText(text: string): void
  /** The offset of the caret in the text, at least roughly. */
  caret(): number
  placeCaret(offset: number): void
  showCaret(): void
  focus(): void
  hasFocus(): boolean
  /** Reserves a place for a file: at a point, or at the caret. `isSeparate`: in a line or block of its own. */
  reserve(point: Point | undefined, isSeparate: boolean): FilePlace
  /** Sets the description of the image that was inserted with this target. */
  describe(target: string, description: string): void
  /** Changes the targets of links and images. */
  retarget(before: string, after: string): void
  /** Called after each change of the text that the preview beside it must follow. */
  refresh(): void
  close(): void
}

/** What a mode of the editor needs. */
export interface SurfaceOptions {
  readonly text: string
  readonly space: string
  readonly nonce: string
  readonly onChange: () => void
  readonly onSave: () => void
  /** The URL of an image of the space; undefined for others. */
  readonly imageUrl: (target: string) => string | undefined
  /** Where the service renders Markdown as it will be read. */
  readonly previewUrl: () => string
}
