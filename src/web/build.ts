/** `npm run build`: bundles what browsers load. The service does the same at its start, where that is missing. */
import { buildWeb } from './bundle/build.ts'

await buildWeb()
