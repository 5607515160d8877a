import type { EventsCtx } from '../events/ctx.ts'
import type { TypeDetector } from './detect.ts'
import type { Variants } from './make-variant.ts'
import type { ObjectStore } from './object-store.ts'

/** What files are read and written with, beside the database. `app-services.ts` creates it for each service. */
export interface FilesDeps {
  /** The bucket; undefined: all bytes are in the database. */
  readonly objects: ObjectStore | undefined
  readonly types: TypeDetector
  readonly variants: Variants
}

/** The context of use cases that take the bytes of files, or show variants of images. */
export interface FilesCtx extends EventsCtx {
  readonly files: FilesDeps
}
