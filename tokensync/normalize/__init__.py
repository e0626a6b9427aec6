"""From ``Snapshot`` to ``TokenGraph``, and the one mapping between Figma's words and DTCG's."""
