/** A part of a text block: one line, or a content that may have several, such as a body, and is sent as it is. */
export type Part = string | { readonly content: string }

/**
 * The result of a tool: structured content (`format: "detailed"`), and one or more text blocks of one or more parts.
 */
export interface ToolResult<T> {
  readonly data: T
  readonly text: readonly (Part | readonly Part[])[]
  /** Shown after the text; the data is Base64. */
  readonly image?: { readonly data: string; readonly mimeType: string }
}
