/**
 * Property tests draw the same cases in every run: a change fails only for what it changed. `RECTO_SEED=random` draws others,
 * `RECTO_SEED=<number>` repeats those of a run that failed.
 */
import fc from 'fast-check'

const { RECTO_SEED = '1' } = process.env
if (RECTO_SEED !== 'random') fc.configureGlobal({ seed: Number(RECTO_SEED) })

export { fc }
