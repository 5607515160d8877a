import type { Node, NodeType } from 'prosemirror-model'
import type { Page } from './page.ts'

/** The bytes from which a block was read, as offsets in the text of its page. */
export interface BlockSource {
  readonly page: Page
  readonly from: number
  readonly to: number
  /** The start of the next block of the same container. */
  next?: number
  /** What further lines begin with, as Recto would write it, such as two spaces in an item after `- `. */
  readonly prefix: string
  /** Of a container, the same for the blocks in it; and the offsets of the first and after the last of them. */
  readonly inner?: string
  readonly contentFrom?: number
  readonly contentTo?: number
  /** The block as it was read. */
  node?: Node
  /** Its lines without their real prefixes, for a block that gets into another container. */
  readonly readLines?: (() => readonly string[] | undefined) | undefined
}

/**
 * The attribute `source` of a node. All are equal to ProseMirror, which compares enumerable members only: documents are
 * equal if their content is.
 */
export class Source {
  readonly #block: BlockSource | undefined

  constructor(block?: BlockSource) {
    this.#block = block
  }

  get block(): BlockSource | undefined {
    return this.#block
  }
}

/** The bytes from which a node was read, whatever it is now; undefined for a new one. */
export function readSource(node: Node): BlockSource | undefined {
  const { source } = node.attrs
  return source instanceof Source ? source.block : undefined
}

/** Whether a node is as it was read. Equal members of both are mostly the same object, so that this is fast. */
export function isUnchanged(node: Node, source: BlockSource): boolean {
  return source.node !== undefined && (source.node === node || source.node.eq(node))
}

/** A node that remembers its bytes. */
export function createBlock(
  type: NodeType,
  source: BlockSource,
  attrs: Readonly<Record<string, unknown>>,
  content: readonly Node[],
): Node {
  source.node = type.create({ ...attrs, source: new Source(source) }, content)
  return source.node
}

/** Tells each block where the next one begins. */
export function linkBlocks(blocks: readonly Node[]): void {
  let before: BlockSource | undefined
  for (const block of blocks) {
    const source = readSource(block)
    if (before && source) before.next = source.from
    before = source
  }
}
