/// A part of a long list, and whether the list goes on.
struct Page<Item> {
  /// What is shown.
  let items: [Item]
  /// The last item shown, if there are more after it.
  let lastOfMore: Item?

  /// Takes a page out of what was loaded for it: one item more than fits, if there are so many.
  init(of limit: Int, from loaded: [Item]) {
    items = Array(loaded.prefix(limit))
    lastOfMore = loaded.count > limit ? items.last : nil
  }
}
