import { parentPort } from 'node:worker_threads'
import { parseRegionsFile } from '../contract/regions.ts'
import { type ErrorReply, toErrorReply } from '../json/error-reply.ts'
import { composeRegionPicture, type RegionPicture, type RegionSelection } from './region-picture-layout.ts'

// A thread that reads one large list of regions and composes one picture of it.

/** The list, its name in errors, and what to show of it. */
export interface RegionPictureJob {
  readonly bytes: Uint8Array
  readonly name: string
  readonly selection: RegionSelection
}

/** The composed picture, or why there is none. */
export type RegionPictureReply = { readonly kind: 'picture'; readonly picture: RegionPicture } | ErrorReply

function reply({ bytes, name, selection }: RegionPictureJob): RegionPictureReply {
  try {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    return { kind: 'picture', picture: composeRegionPicture(parseRegionsFile(name, text), selection) }
  } catch (error) {
    return toErrorReply(error)
  }
}

parentPort?.once('message', (job: RegionPictureJob) => parentPort?.postMessage(reply(job), []))
