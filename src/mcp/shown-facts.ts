import type { InspectedFile } from '../contract/file-routes.ts'

/** A file's facts as agents are told them: without what only estimates of the service's own are made of. */
export function publicMediaFacts(media: InspectedFile['media']): InspectedFile['media'] {
  if (!media?.video) return media
  const { seek_ms: _, ...video } = media.video
  return { ...media, video }
}
