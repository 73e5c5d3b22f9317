import { writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { extensionOf, kindOf } from '../contract/file-kind.ts'
import { maxNamedImageBytes } from '../contract/inline-image.ts'
import type { LibraryScope } from '../contract/library.ts'
import type { MediaFacts, VideoFacts } from '../contract/media-facts.ts'
import type { MaterialRow } from '../db/schema.ts'
import { isStill } from '../engines/ffmpeg/facts.ts'
import { type MediaTags, readMediaTags } from '../engines/ffmpeg/media-tags.ts'
import { probe } from '../engines/ffmpeg/probe.ts'
import {
  encodeRgba,
  readCoverImage,
  readPicture,
  writeSoundPreview,
  writeVideoPreview,
} from '../engines/ffmpeg/short-previews.ts'
import { findShots } from '../engines/reframe/find-shots.ts'
import { hertz } from '../media/frame-rate.ts'
import { pictureHash } from '../media/image/picture-hash.ts'
import { cleanText, noSoundFile, readSidecar, type ReadSidecar, type Sidecar } from './sidecar.ts'
import type { MediaFile } from './walk-folder.ts'

/** A picture of a material, to be embedded. */
export interface MaterialPicture {
  readonly path: string
  /** Time in a video, ms. */
  readonly startMs: number
}

/** What the database records about the content of a file. */
type MaterialFacts = Pick<
  MaterialRow,
  | 'scope'
  | 'title'
  | 'author'
  | 'note'
  | 'tags'
  | 'audio_type'
  | 'accompaniment'
  | 'width'
  | 'height'
  | 'fps'
  | 'duration_ms'
  | 'picture_hash'
>

/** Result of reading a media file. */
export interface FileAnalysis {
  readonly facts: MaterialFacts
  /** Files in the work folder, to be stored. */
  readonly contents: { readonly cover?: string; readonly preview?: string; readonly thumb?: string }
  readonly pictures: readonly MaterialPicture[]
  /** Unknown fields of its sidecar. */
  readonly unknownFields: readonly string[]
}

/** What its content shows, without what its sidecar states. */
type ContentAnalysis = Omit<FileAnalysis, 'unknownFields'>

interface AnalyseOptions {
  /** Real path of the folder of the file. */
  readonly folder: string
  readonly file: MediaFile
  /** Empty folder for results. */
  readonly work: string
  /** Whether pictures of shots are needed. */
  readonly embeds: boolean
  readonly threads: number
}

/** Longest sides of covers, and of thumbnails of images, pixels. Shots are embedded in the size of covers. */
const coverSide = 640
const thumbSide = 512

/** Shots of a video that are embedded, at most. */
const maxShots = 64

/**
 * Reads a media file: its facts and tags, and what is shown of it. Throws 6017 and 6021 if it is damaged, 6016 for an
 * invalid sidecar. path: absolute, with the extension of the file.
 */
export async function analyseFile(path: string, options: AnalyseOptions): Promise<FileAnalysis> {
  const { unknownFields, ...sidecar } = await readOwnSidecar(options.folder, options.file)
  return { ...(await analyseContent(path, options, sidecar)), unknownFields }
}

async function analyseContent(
  path: string,
  options: AnalyseOptions,
  sidecar: Sidecar,
): Promise<ContentAnalysis> {
  const facts = await probe(path)
  const { video } = facts
  const isImage = isStill(facts.container)
  if (kindOf(extensionOf(path)) === 'image' && !isImage) {
    throw new MediaError(6014, 'the file has the name of an image, but is none')
  }
  if (video && isImage) return await analyseImage(path, { ...options, video, sidecar })
  if (video) return await analyseVideo(path, { ...options, facts, video, sidecar })
  return await analyseSound(path, { ...options, facts, sidecar })
}

async function readOwnSidecar(folder: string, file: MediaFile): Promise<ReadSidecar> {
  if (file.sidecar === undefined) return { unknownFields: [] }
  const sidecar = await readSidecar(folder, posix.join(posix.dirname(file.path), file.sidecar))
  // It may have been written to since the folder was listed.
  if (sidecar.accompaniment !== file.accompaniment) throw new MediaError(6016, noSoundFile)
  return sidecar
}

interface ImageOptions extends AnalyseOptions {
  readonly video: VideoFacts
  readonly sidecar: Sidecar
}

async function analyseImage(
  path: string,
  { video, sidecar, work, file }: ImageOptions,
): Promise<ContentAnalysis> {
  const picture = await readPicture(path, { video, longestSide: thumbSide })
  if (!picture) throw new MediaError(6021, 'the picture could not be decoded')
  const thumb = join(work, 'thumb.jpg')
  await writeFile(thumb, await encodeRgba(picture, {}))
  return {
    facts: {
      ...describe('image', sidecar),
      ...{ width: video.width, height: video.height, picture_hash: pictureHash(picture) },
    },
    contents: { thumb },
    // Services accept no larger images.
    pictures: [{ path: file.size > maxNamedImageBytes ? thumb : path, startMs: 0 }],
  }
}

async function analyseVideo(
  path: string,
  { facts, video, sidecar, work, embeds, threads }: ImageOptions & { readonly facts: MediaFacts },
): Promise<ContentAnalysis> {
  const shots = await findShots(path, video, { limit: maxShots, threads })
  const pictures: MaterialPicture[] = []
  const cover = join(work, 'cover.jpg')
  let hash: string | undefined
  for (const [index, { bestMs }] of shots.entries()) {
    const picture = await readPicture(path, { video, atMs: bestMs, longestSide: coverSide })
    if (!picture) continue
    const file = hash === undefined ? cover : join(work, `shot-${index}.jpg`)
    await writeFile(file, await encodeRgba(picture, {}))
    hash ??= pictureHash(picture)
    if (!embeds) break
    pictures.push({ path: file, startMs: bestMs })
  }
  if (hash === undefined) throw new MediaError(6021, 'no frame of the video could be decoded')
  const preview = join(work, 'preview.mp4')
  await writeVideoPreview(path, preview, { video })
  const { num, den } = video.frame_rate
  return {
    facts: {
      ...describe('clip', sidecar, await readMediaTags(path)),
      ...{ width: video.width, height: video.height, fps: hertz({ num, den }) },
      ...{ duration_ms: facts.cut_off_ms ?? facts.duration_ms, picture_hash: hash },
    },
    contents: { cover, preview },
    pictures,
  }
}

async function analyseSound(
  path: string,
  { facts, sidecar, work }: AnalyseOptions & { readonly facts: MediaFacts; readonly sidecar: Sidecar },
): Promise<ContentAnalysis> {
  const preview = join(work, 'preview.m4a')
  await writeSoundPreview(path, preview, {})
  const jpeg = await readCoverImage(path, { longestSide: coverSide })
  const cover = join(work, 'cover.jpg')
  if (jpeg) await writeFile(cover, jpeg)
  const { audio_type = 'pure', accompaniment = null } = sidecar
  return {
    facts: {
      ...describe('audio', sidecar, await readMediaTags(path)),
      ...{ audio_type, accompaniment, duration_ms: facts.duration_ms },
    },
    contents: { preview, ...(jpeg && { cover }) },
    pictures: [],
  }
}

/** Returns what sidecar and tags state; the sidecar takes precedence. Other fields are null. */
function describe(scope: LibraryScope, sidecar: Sidecar, tags: MediaTags = {}): MaterialFacts {
  const text = (value: string | undefined) => (value === undefined ? '' : cleanText(value))
  const genre = text(tags.genre)
  return {
    scope,
    title: sidecar.title || text(tags.title) || null,
    author: sidecar.author || text(tags.artist) || null,
    note: sidecar.note || [text(tags.comment), text(tags.album)].filter(Boolean).join('; '),
    tags: JSON.stringify(sidecar.tags ?? (genre ? [genre] : [])),
    ...{ audio_type: null, accompaniment: null, width: null, height: null, fps: null },
    ...{ duration_ms: null, picture_hash: null },
  }
}
