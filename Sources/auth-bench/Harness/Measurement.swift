/// The samples of one row, one per round.
struct Measurement {
  let name: String
  let samples: [Double]

  init(name: String, samples: [Double]) {
    precondition(!samples.isEmpty, "\"\(name)\" has no sample")
    self.name = name
    self.samples = samples.sorted()
  }

  var median: Double { quantile(0.5) }

  /// What it costs when nothing else gets in the way; on a busy machine it says more than the
  /// median.
  var minimum: Double { samples[0] }

  /// Half the distance between the quartiles, as a part of the median: 0.02 reads "give or take 2
  /// %".
  var spread: Double { median > 0 ? (quantile(0.75) - quantile(0.25)) / 2 / median : 0 }

  /// The sample below which the part `position` of all samples lies, interpolated.
  func quantile(_ position: Double) -> Double {
    let place = position * Double(samples.count - 1)
    let lower = Int(place)
    let upper = min(lower + 1, samples.count - 1)
    return samples[lower] + (samples[upper] - samples[lower]) * (place - Double(lower))
  }
}
