/** `npm run build`: bundles the assets for browsers. The service does the same at its start if they are missing. */
import { buildWeb } from './bundle/build.ts'

await buildWeb()
