import { parseRegionsFile } from '../contract/regions.ts'
import { serveThread } from '../threads/serve-thread.ts'
import { composeRegionPicture, type RegionPicture, type RegionSelection } from './region-picture-layout.ts'

// A thread that reads one large list of regions and composes one picture of it.

/** The list, its name in errors, and what to show of it. */
export interface RegionPictureJob {
  readonly bytes: Uint8Array
  readonly name: string
  readonly selection: RegionSelection
}

serveThread(({ bytes, name, selection }: RegionPictureJob): RegionPicture => {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return composeRegionPicture(parseRegionsFile(name, text), selection)
})
