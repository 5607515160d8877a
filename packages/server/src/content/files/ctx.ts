import type { EventsCtx } from '../../events/feed/ctx.ts'
import type { ChunkTurns } from './blobs/chunk-sink.ts'
import type { ObjectStore } from './blobs/object-store.ts'
import type { TypeDetector } from './upload/detect.ts'
import type { VariantMaker } from './variants/make-variant.ts'
import type { ReadyVariants } from './variants/ready-variants.ts'

/** The dependencies of files in addition to the database. `app-services.ts` creates them for each service. */
export interface FilesDeps {
  /** The bucket; undefined: all bytes are in the database. */
  readonly objects: ObjectStore | undefined
  readonly chunkTurns: ChunkTurns
  readonly types: TypeDetector
  readonly variants: VariantMaker
  readonly readyVariants: ReadyVariants
}

/** The context of use cases that store files, or serve variants of images. */
export interface FilesCtx extends EventsCtx {
  readonly files: FilesDeps
}
