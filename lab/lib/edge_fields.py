"""The fields of edges with which jobs are measured."""

#: Those that edges have unless others are chosen.
FIVE = "record,doi,ref_index,role,asserted"
#: These and all others of the place, the value and the mention.
ALL = f"{FIVE},path,asserted_by,ref_key,relation,update_type,value,doi_clean,changed,form,source,document,offset,length,text,guessed,check_digit"
