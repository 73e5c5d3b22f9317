import type { VideoFacts } from '../../contract/media-facts.ts'

/** Options of `setparams` for the colour coding of every result: BT.709, limited range. */
export const bt709 = 'range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709'

/** Output options that write the same colour tags to a result. */
export const bt709Tags: readonly string[] = [
  ...['-colorspace', 'bt709', '-color_primaries', 'bt709'],
  ...['-color_trc', 'bt709', '-color_range', 'tv'],
]

/**
 * Filters that map HDR to SDR, with 100 cd/m² as SDR white. HDR10 and HLG use BT.2020 colours, tagged or not.
 */
export const toneMap: readonly string[] = [
  'setparams=colorspace=bt2020nc:color_primaries=bt2020',
  'zscale=transfer=linear:npl=100',
  'format=gbrpf32le',
  'zscale=primaries=bt709',
  'tonemap=tonemap=hable:desat=0',
  'zscale=transfer=bt709:matrix=bt709:range=limited',
]

/** Filters that HDR sources require and some ffmpeg builds do not include. */
export const toneMapFilters = ['zscale', 'tonemap']

/**
 * Returns the scale filter to a size in pixels, with output in BT.709, limited range. HDR is only scaled here
 * and must be tone-mapped afterwards. A source without a matrix tag is read as players read it: BT.709 from
 * HD on, BT.601 below.
 */
export function scaleTo(video: VideoFacts, { width, height }: { width: number; height: number }): string {
  const scale = `scale=w=${width}:h=${height}:flags=bicubic`
  return video.hdr ? scale : `${scale}:in_color_matrix=${matrixOf(video)}:out_color_matrix=bt709:out_range=tv`
}

function matrixOf({ color_space, coded_width, coded_height }: VideoFacts): string {
  if (color_space !== undefined) return 'auto'
  return coded_width >= 1280 || coded_height > 576 ? 'bt709' : 'bt601'
}
