import { rejectsBroken } from './broken-file.ts'
import { readFcpxml } from './readers/fcpxml.ts'

const spine = 'fcpxml/library/event/project/sequence/spine'
const secondClip = 'offset="103103/30000s" name="TestVideo" start="214214/30000s" duration="106106/30000s"'

rejectsBroken('FCPXML', [
  {
    file: 'fcpxml/29.97d.fcpxml',
    read: readFcpxml,
    breaks: [
      ['text that is not well-formed', [['</spine>', '']], 'syntax file'],
      ['no document type', [['<!DOCTYPE fcpxml>', '']], 'syntax file: <!DOCTYPE fcpxml> is missing'],
      ['a version without media-rep', [['version="1.11"', 'version="1.8"']], 'version fcpxml'],
      ['an element of a later version', [['version="1.11"', 'version="1.10"']], 'unknown'],
      [
        'an asset without media-rep',
        [
          [
            '<media-rep kind="original-media" sig="554B59605B289ECE8057E7FECBC3D3D0" src="file:///Users/user/Movies/TestVideo.mp4"/>',
            '',
          ],
        ],
        'missing fcpxml/resources/asset: <asset> needs a child media-rep',
      ],
      [
        'media-rep after metadata',
        [
          [
            '<media-rep kind="original-media" sig="554B59605B289ECE8057E7FECBC3D3D0" src="file:///Users/user/Movies/TestVideo.mp4"/>',
            '',
          ],
          ['</metadata>', '</metadata><media-rep src="file:///a.mp4"/>'],
        ],
        'order fcpxml/resources/asset: <media-rep> is out of order',
      ],
      [
        'src on the asset',
        [['<asset id="r2"', '<asset id="r2" src="file:///a.mp4"']],
        'unknown fcpxml/resources/asset: <asset> has no attribute src',
      ],
      [
        'an asset without duration',
        [['duration="101869/1000s" ', '']],
        'missing fcpxml/resources/asset: attribute duration',
      ],
      [
        'an asset of no format',
        [['hasVideo="1" format="r1"', 'hasVideo="1"']],
        'reference fcpxml/resources/asset',
      ],
      [
        'an id that begins with a digit',
        [['<format id="r1"', '<format id="1"']],
        'value fcpxml/resources/format: id "1" is not an XML name',
      ],
      [
        'an id that is used twice',
        [['<asset id="r2"', '<asset id="r1"']],
        'duplicate fcpxml/resources/asset: id r1',
      ],
      [
        'a format without frame duration',
        [['frameDuration="1001/30000s" ', '']],
        'missing fcpxml/library/event/project/sequence: the format',
      ],
      [
        'a rounded frame rate',
        [['frameDuration="1001/30000s"', 'frameDuration="100/2997s"']],
        'value fcpxml/library/event/project/sequence: the editor knows no rate',
      ],
      [
        'a clip of no asset',
        [['<asset-clip ref="r2" offset="103103', '<asset-clip ref="r77" offset="103103']],
        `reference ${spine}/asset-clip[2]: there is no asset r77`,
      ],
      [
        'a clip without ref',
        [['<asset-clip ref="r2" offset="103103', '<asset-clip offset="103103']],
        `missing ${spine}/asset-clip[2]: attribute ref`,
      ],
      ['a filter of no effect', [['<filter-video ref="r4"', '<filter-video ref="r44"']], 'reference'],
      [
        'a time in seconds without s',
        [['offset="103103/30000s"', 'offset="103103/30000"']],
        `value ${spine}/asset-clip[2]@offset`,
      ],
      [
        'a decimal time',
        [['offset="103103/30000s"', 'offset="3.4367s"']],
        `value ${spine}/asset-clip[2]@offset`,
      ],
      [
        'an offset between frames',
        [[secondClip, secondClip.replace('103103', '103104')]],
        `hole ${spine}/asset-clip[2]`,
      ],
      [
        'a duration between frames',
        [['duration="103103/30000s" tcFormat', 'duration="103100/30000s" tcFormat']],
        `frames ${spine}/asset-clip: duration`,
      ],
      [
        'a start between frames',
        [[secondClip, secondClip.replace('214214', '214215')]],
        `frames ${spine}/asset-clip[2]: start`,
      ],
      [
        'a hole in the storyline',
        [['duration="103103/30000s" tcFormat', 'duration="102102/30000s" tcFormat']],
        `hole ${spine}/asset-clip[2]`,
      ],
      [
        'clips that overlap',
        [['duration="103103/30000s" tcFormat', 'duration="104104/30000s" tcFormat']],
        `overlap ${spine}/asset-clip[2]`,
      ],
      [
        'a negative duration',
        [['duration="103103/30000s" tcFormat', 'duration="-103103/30000s" tcFormat']],
        `range ${spine}/asset-clip: duration`,
      ],
      [
        'a clip past the end of its media',
        [['duration="101869/1000s"', 'duration="96s"']],
        'media-end video track 1 clip 6 (TestVideo)',
      ],
      [
        'a sequence that ends early',
        [['duration="887887/30000s"', 'duration="886886/30000s"']],
        'sequence-end fcpxml/library/event/project/sequence',
      ],
      [
        'a sequence without format',
        [['<sequence format="r1" duration="887887', '<sequence duration="887887']],
        'missing fcpxml/library/event/project/sequence: attribute format',
      ],
      [
        'a sequence without duration',
        [['duration="887887/30000s" ', '']],
        'missing fcpxml/library/event/project/sequence: attribute duration',
      ],
      [
        'a sound rate in hertz',
        [
          [
            'tcFormat="DF" audioLayout="stereo" audioRate="48k"',
            'tcFormat="DF" audioLayout="stereo" audioRate="48000"',
          ],
        ],
        'value fcpxml/library/event/project/sequence: audioRate',
      ],
      [
        'volume before the time map',
        [['<timeMap>', '<adjust-volume amount="-6dB"/><timeMap>']],
        `order ${spine}/asset-clip[3]: <timeMap> is out of order`,
      ],
      [
        'a marker before a connected storyline',
        [
          [
            '<spine lane="1" offset="53053/1200s">',
            '<marker start="1s" value="a"/><spine lane="1" offset="53053/1200s">',
          ],
        ],
        `order ${spine}/asset-clip[4]: <spine> is out of order`,
      ],
      [
        'an unknown child',
        [['<timeMap>', '<speed/><timeMap>']],
        `unknown ${spine}/asset-clip[3]: <asset-clip> has no child <speed>`,
      ],
      [
        'an unknown attribute',
        [[secondClip, `${secondClip} frameDuration="1s"`]],
        `unknown ${spine}/asset-clip[2]`,
      ],
      [
        'an unencoded path',
        [['file:///Users/user/Movies/TestVideo.mp4', 'file:///Users/user/Movies/Test Vidéo.mp4']],
        'path fcpxml/resources/asset/media-rep',
      ],
      [
        'a path with a fragment',
        [['file:///Users/user/Movies/TestVideo.mp4', 'file:///Users/user/Movies/Take #3.mp4']],
        'path fcpxml/resources/asset/media-rep',
      ],
      [
        'an empty path',
        [['file:///Users/user/Movies/TestVideo.mp4', '']],
        'path fcpxml/resources/asset/media-rep',
      ],
    ],
  },
])
