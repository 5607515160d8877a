import { accessSync, constants, mkdirSync } from 'node:fs'
import { StartError } from './start-error.ts'

/** Creates the data folder if it is missing; fails with one sentence if it is not writable. */
export function prepareFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    const { message } = error as Error
    throw new StartError(
      `The folder ${folder} cannot be written (${message}). Set SVC_DATA to a folder that the user of this process owns.`,
      { cause: error },
    )
  }
}
