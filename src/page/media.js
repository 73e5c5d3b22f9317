/**
 * @import { FileRecord } from '../contract/file.ts'
 * @import { MediaFacts } from '../contract/media-facts.ts'
 * @import { Api } from './api.js'
 */
import { button, element, failure } from './dom.js'
import { duration, size } from './format.js'

/** Extensions that browsers play or show, by element; other files can only be downloaded. */
const extensions = {
  video: ['.mp4', '.mov', '.webm', '.mkv', '.avi', '.flv'],
  audio: ['.mp3', '.wav', '.m4a', '.aac', '.flac', '.ogg'],
  image: ['.jpg', '.jpeg', '.png', '.webp', '.bmp'],
}

/**
 * Whether the page can show or play a file.
 *
 * @param {FileRecord} file
 */
export function isShown({ base_ext }) {
  return Object.values(extensions).some((some) => some.includes(base_ext))
}

/**
 * Shows or plays a file, with its facts.
 *
 * @param {Api} api
 * @param {FileRecord} file
 * @param {{ preload?: 'metadata' | 'none', isNamed?: boolean }} [options] `isNamed` adds the file name, for places that do not show it already
 */
export async function showFile(api, file, { preload = 'metadata', isNamed = false } = {}) {
  const caption = element('p', { className: 'aside' }, size(file.size))
  const name = isNamed ? [element('strong', {}, file.original_name)] : []
  const shown = element('figure', { className: 'file' }, element('figcaption', {}, ...name, caption))
  if (isShown(file)) {
    const media = player(file, { src: await api.link(file.file_id), preload })
    media.addEventListener('error', () => shown.append(failure(unplayable(file))), { once: true })
    shown.prepend(media)
    // Probing takes a moment, and fails for files that are not media.
    void api.inspect(file.file_id).then(
      ({ media: facts }) => facts && caption.replaceChildren(describe(facts, file)),
      () => undefined,
    )
  }
  return shown
}

/**
 * A button that saves a file.
 *
 * @param {Api} api
 * @param {FileRecord} file
 */
export function download(api, { file_id, original_name }) {
  return button(
    'Download',
    async () => element('a', { href: await api.link(file_id), download: original_name }).click(),
    { about: original_name },
  )
}

/**
 * @param {FileRecord} file
 * @param {{ src: string, preload: 'metadata' | 'none' }} source
 */
function player({ original_name, base_ext }, { src, preload }) {
  if (extensions.image.includes(base_ext)) return element('img', { alt: original_name, src })
  const kind = extensions.video.includes(base_ext) ? 'video' : 'audio'
  // `src` is set last, so that `preload` applies to it.
  return element(kind, { controls: true, ariaLabel: original_name, preload, src })
}

/** @param {FileRecord} file */
function unplayable({ base_ext }) {
  return {
    message: `The browser could not play this ${base_ext} file.`,
    hint: 'Download it, and open it in another program.',
  }
}

/**
 * @param {MediaFacts} media
 * @param {FileRecord} file
 */
function describe({ duration_ms, video, audio }, file) {
  const parts = [size(file.size)]
  if (!extensions.image.includes(file.base_ext)) parts.push(duration(duration_ms / 1000))
  if (video) parts.push(`${video.width} × ${video.height}`, video.codec)
  if (audio[0]) parts.push(audio[0].codec)
  return parts.join(' · ')
}
